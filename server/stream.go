package server

func (s *Server) streamRoutes() {}
