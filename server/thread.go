package server

func (s *Server) threadRoutes() {}
