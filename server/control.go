package server

func (s *Server) controlRoutes() {}
